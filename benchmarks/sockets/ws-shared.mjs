// Bare ws with the best implementation of a room: the message is serialized once.
import { report } from '../harness/report.mjs'
import { start } from './ws-server.mjs'

const TEXT = { binary: false }

report(
  await start((members, message) => {
    const bytes = Buffer.from(JSON.stringify(message))
    for (const member of members) member.send(bytes, TEXT)
  }),
)
