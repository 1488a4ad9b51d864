-- wrk … -- TOKENS WORD FILE [VERSION]. Sends the bodies of FILE (see bodies.ts) in turn, each with a report id of its
-- own: a UUID of version 4, random, or of version 7, which begins with the time. With several tokens, which are
-- separated by commas, each body goes out with each of them in turn.
-- Cheap on purpose: the generator shares the machine with what it measures.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "../report.lua")

local ffi, bit = require("ffi"), require("bit")
local random, floor = math.random, math.floor
local bxor, band, lshift, rshift = bit.bxor, bit.band, bit.lshift, bit.rshift
local requests = {}
local number = 0

local digits = ffi.new("uint8_t[16]", { ("0123456789abcdef"):byte(1, 16) })
-- 8-4-4-4-12: the hyphens, the version and the variant are the same in all.
local fixed = { [8] = true, [13] = true, [14] = true, [18] = true, [19] = true, [23] = true }
local places = {}
for place = 0, 35 do
  if not fixed[place] then places[#places + 1] = place end
end

local version = 4

local function read_requests(path, token)
  local file = assert(io.open(path, "rb"))
  local head = "POST /api/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " .. token
    .. "\r\nContent-Type: " .. file:read("*l") .. "\r\nContent-Length: "
  for line in function() return file:read("*l") end do
    local length, id, crc, changes = line:match("^(%d+) (%-?%d+) (%-?%d+) (%d+)$")
    local start = head .. length .. "\r\n\r\n"
    local text = start .. file:read(tonumber(length))
    local request = { length = #text, bytes = ffi.new("uint8_t[?]", #text) }
    ffi.copy(request.bytes, text, #text)
    if tonumber(id) >= 0 then request.id = request.bytes + #start + tonumber(id) end
    if tonumber(crc) >= 0 then
      request.crc = ffi.cast("uint32_t *", request.bytes + #start + tonumber(crc))
      request.changes = ffi.new("uint32_t[?]", tonumber(changes) / 4)
      ffi.copy(request.changes, file:read(tonumber(changes)), tonumber(changes))
      request.first_crc = bxor(request.crc[0], request.changes[14 * 16 + version])
    end
    if request.id then request.id[14] = digits[version] end
    requests[#requests + 1] = request
  end
  file:close()
end

-- From all requests of one token, then all of the next one, to the tokens in turn.
local function in_turn(tokens)
  local bodies, sorted = #requests / tokens, {}
  for body = 1, bodies do
    for token = 0, tokens - 1 do sorted[#sorted + 1] = requests[token * bodies + body] end
  end
  requests = sorted
end

function init(args)
  math.randomseed(tonumber(args[2], 16))
  version = tonumber(args[4] or 4)
  local tokens = {}
  for token in args[1]:gmatch("[^,]+") do
    read_requests(args[3], token)
    tokens[#tokens + 1] = token
  end
  in_turn(#tokens)
end

-- 24 bits, which make 6 digits.
local function next_bits(first_place)
  if version == 7 and first_place <= 7 then
    local milliseconds = os.time() * 1000 + number % 1000
    return first_place == 1 and floor(milliseconds / 16777216) or milliseconds % 16777216
  end
  return random(0, 16777215)
end

local function put_id(id, crc, changes, first_crc)
  local sum, bits = first_crc, 0
  for i = 1, #places do
    local place = places[i]
    if i % 6 == 1 then bits = next_bits(i) end
    local digit = band(rshift(bits, 20), 15)
    bits = lshift(bits, 4)
    id[place] = digits[digit]
    if changes then sum = bxor(sum, changes[place * 16 + digit]) end
  end
  if crc then crc[0] = sum end
end

function request()
  number = number + 1
  local one = requests[number % #requests + 1]
  if one.id then put_id(one.id, one.crc, one.changes, one.first_crc) end
  return ffi.string(one.bytes, one.length)
end
