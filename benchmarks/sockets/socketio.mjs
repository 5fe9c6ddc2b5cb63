// As it comes: what is sent while a client is away is lost.
import { report } from '../harness/report.mjs'
import { start } from './socketio-server.mjs'

report(await start())
