// Bare ws: the minimum cost of an echo and a room.
import { report } from '../harness/report.mjs'
import { start } from './ws-server.mjs'

report(
  await start((members, message) => {
    const text = JSON.stringify(message)
    for (const member of members) member.send(text)
  }),
)
