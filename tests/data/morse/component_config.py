# What MORSE's builder makes of the example in its document on how arguments are passed:
# an ATRV with a noisy pose and a differential odometry on sockets, a waypoint with streams and services,
# and time that a client paces on port 5000.
component_datastream = {'robot.odometry': [['morse.middleware.socket_datastream.SocketDatastreamManager',
                     'morse.middleware.socket_datastream.SocketPublisher',
                     'OUT',
                     {}]],
 'robot.pose': [['morse.middleware.socket_datastream.SocketDatastreamManager',
                 'morse.middleware.socket_datastream.SocketPublisher',
                 'OUT',
                 {}]],
 'robot.waypoint': [['morse.middleware.socket_datastream.SocketDatastreamManager',
                     'morse.middleware.socket_datastream.SocketReader',
                     'IN',
                     {}]]}
component_modifier = {'robot.pose': [['morse.modifiers.pose_noise.PoseNoiseModifier', 'OUT', {}]]}
component_service = {'robot.waypoint': ['morse.middleware.socket_request_manager.SocketRequestManager']}
overlays = {}
stream_manager = {'morse.middleware.socket_datastream.SocketDatastreamManager': {'sync_port': 5000,
                                                                'time_sync': True}}
