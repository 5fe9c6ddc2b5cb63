import { once } from 'node:events'
import { report } from '../harness/report.mjs'
import { app } from './express/app.mjs'

const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
report(server.address().port)
