// With what it has of resuming: packets to clients are kept, and a client that comes back gets those it missed.
import { report } from '../harness/report.mjs'
import { start } from './socketio-server.mjs'

report(await start({ connectionStateRecovery: {} }))
