-- Wanders, turns away from obstacles and counts what it hears.
local TURN_STEPS = 5
local turning = 0
heard = 0
state = "walk"
speed = 0

function init()
   speed = tonumber(robot.params.speed)
   robot.leds.set_all_colors("green")
end

function ahead()
   local near = 0
   for i = 1, #robot.proximity do
      if math.abs(robot.proximity[i].angle) < math.pi / 3 then
         near = math.max(near, robot.proximity[i].value)
      end
   end
   return near
end

function step()
   heard = #robot.range_and_bearing
   robot.range_and_bearing.set_data(1, heard)
   if turning > 0 then
      turning = turning - 1
   elseif ahead() > 0.15 then
      state = "turn"
      turning = TURN_STEPS + robot.random.uniform_int(0, 5)
      robot.leds.set_all_colors(255, 0, 0)
   else
      state = "walk"
      robot.leds.set_all_colors("green")
   end
   if state == "turn" then
      robot.wheels.set_velocity(-speed, speed)
   else
      robot.wheels.set_velocity(speed, speed)
   end
end

function reset()
   init()
end

function destroy()
end
