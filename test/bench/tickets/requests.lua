-- Cheap on purpose: the generator shares the machine with what it measures.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "../report.lua")

local random, format = math.random, string.format
local head, tail
local number = 0

function init(args)
  local token, word = args[1], args[2]
  math.randomseed(tonumber(word, 16))
  local body = '{"title":"Nightly build failed on main","description":"The job build-linux failed in step test after 312 seconds. See the log of run 4711 for the trace.","priority":"high"}'
  head = "POST /api/v1/tickets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " .. token
    .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\nIdempotency-Key: "
  tail = "-" .. word .. "\r\n\r\n" .. body
end

-- Random digits first: keys of real callers do not come in order.
function request()
  number = number + 1
  return head .. format("%08x-%d", random(0, 2147483647), number) .. tail
end
