// Hand-written on node:http: no id, no limits, no envelope beyond the needs of the load. The baseline.
import { createServer } from 'node:http'
import { report } from '../harness/report.mjs'
import { burst, Input, paced, work } from './shape.mjs'

const json = (response, status, value) => {
  const body = JSON.stringify(value)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

const stream = async (response, chunks) => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  for await (const value of chunks) {
    if (!response.write(`${JSON.stringify(value)}\n`)) await new Promise((resolve) => response.once('drain', resolve))
  }
  response.end()
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') return json(response, 404, { error: 'not found' })
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const input = JSON.parse(Buffer.concat(parts).toString())
    if (request.url === '/agent/burst') return stream(response, burst())
    if (request.url === '/agent/paced') return stream(response, paced())
    if (request.url !== '/agent/work') return json(response, 404, { error: 'not found' })
    const parsed = Input.safeParse(input)
    if (parsed.success) json(response, 200, work(parsed.data))
    else json(response, 400, { error: parsed.error.issues })
  })
})
server.listen(0, '127.0.0.1', () => report(server.address().port))
