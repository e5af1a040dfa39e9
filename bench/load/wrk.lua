-- Walks through the requests of a file, `host target` a line, and prints what came of them as JSON.

local requests = {}
local position = 0

function init(args)
  for line in io.lines(args[1]) do
    local host, target = line:match("^(%S+) (%S+)$")
    local headers = { Host = host }
    for name, value in pairs(wrk.headers) do
      if name ~= "Host" then headers[name] = value end
    end
    requests[#requests + 1] = wrk.format("GET", target, headers)
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
