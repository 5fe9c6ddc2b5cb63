// With connection state recovery: packets to clients are stored, and a client that reconnects gets the missed ones.
import { report } from '../harness/report.mjs'
import { start } from './socketio-server.mjs'

report(await start({ connectionStateRecovery: {} }))
