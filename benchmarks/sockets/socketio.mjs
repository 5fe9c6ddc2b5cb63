// Default settings: messages to a disconnected client are lost.
import { report } from '../harness/report.mjs'
import { start } from './socketio-server.mjs'

report(await start())
