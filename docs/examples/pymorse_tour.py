"""Drives robots of `swarmarium serve morse-reference` with MORSE's own client.

pip install pymorse==1.4        (from Python 3.12 on also: pyasyncore pyasynchat)
"""

from pymorse import Morse, MorseServicePreempted

simu = Morse("localhost", 4000)
print("robots:", simu.robots, "streams:", sorted(simu.streams()))

# A service that takes its time gives a future.
way = simu.robot.motion.goto(2.0, 1.0, 0.0, 0.1, 1.0)
print("under way:", way.running(), "at", simu.robot.pose.get())
print("it says:", way.result(), "at", simu.robot.pose.get())

# It can be cancelled.
way = simu.robot.motion.goto(-8.0, 1.0, 0.0, 0.1, 0.5)
simu.sleep(1.0)
way.cancel()
print("cancelled:", isinstance(way.exception(5), MorseServicePreempted))

# Streams: commands in, readings out; time is that of the simulation.
simu.rpc("time", "set_time_scale", 4.0)
simu.Robi.vw.publish({"v": 1.0, "w": 0.5})
simu.sleep(4.0)
simu.Robi.vw.publish({"v": 0.0, "w": 0.0})
print("Robi drove to", simu.Robi.odo.get())
print("near the robot:", simu.robot.prox.get()["near_robots"])
simu.rpc("time", "set_time_scale", 1.0)

# From Python 3.8 on, a plain `close()` of pymorse fails while it waits for publishers.
simu.close(wait_publishers=False)
