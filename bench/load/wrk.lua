-- Walks through the requests of a file and prints what came of them as JSON. A line is host, target and headers as
-- `name: value`, with tabs in between; headers replace those of the command line.

local requests = {}
local position = 0

function init(args)
  for line in io.lines(args[1]) do
    local fields = {}
    for field in line:gmatch("[^\t]+") do fields[#fields + 1] = field end
    local headers = {}
    for name, value in pairs(wrk.headers) do
      if name ~= "Host" then headers[name] = value end
    end
    for index = 3, #fields do
      local name, value = fields[index]:match("^(%S+): (.*)$")
      headers[name] = value
    end
    headers.Host = fields[1]
    requests[#requests + 1] = wrk.format("GET", fields[2], headers)
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"completed":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
