import { createServer } from 'node:http'

createServer((request, response) => {
  response.writeHead(request.url === '/api/status' ? 200 : 404, { 'content-type': 'application/json' })
  response.end('{"status":"ok"}')
}).listen(Number(process.env.PORT), '127.0.0.1')
