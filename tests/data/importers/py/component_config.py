# A configuration of MORSE with two robots, noise, an overlay and streams of a middleware of one's own.
component_datastream = {
    'rover.pose': [['morse.middleware.socket_datastream.SocketDatastreamManager',
                    'morse.middleware.socket_datastream.SocketPublisher', 'OUT', {'port': 60007}]],
    'rover.motion': [['morse.middleware.socket_datastream.SocketDatastreamManager',
                      'morse.middleware.socket_datastream.SocketReader', 'IN', {}],
                     ['mine.Manager', 'mine.TwistReader', 'IN', {'topic': "/cmd_vel", 'queue': 16, 'latch': None}]],
    'scout.laser': [['morse.middleware.ros_datastream.ROSDatastreamManager',
                     'morse.middleware.ros.laserscanner.LaserScanPublisher', 'OUT', {'topic': u'scan'}]],
    'scout.gizmo': [['mine.Manager', 'mine.GizmoPublisher', {}]],
}
component_modifier = {'rover.pose': [['morse.modifiers.pose_noise.PoseNoiseModifier', 'OUT', {'pos_std_dev': 0.05}],
                                     ['mine.Modifier', 'OUT', {'gain': -1e-3}]]}
component_service = {'rover.motion': ['morse.middleware.socket_request_manager.SocketRequestManager'],
                     'simulation': ['morse.middleware.socket_request_manager.SocketRequestManager']}
overlays = {'morse.middleware.socket_request_manager.SocketRequestManager': {
    'rover.motion': ['mine.Overlay', {'namespace': 'a'}]}}
stream_manager = {'morse.middleware.socket_datastream.SocketDatastreamManager': {'time_sync': True, 'sync_port': 5000}}
