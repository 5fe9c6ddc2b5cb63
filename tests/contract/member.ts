// A program that stays in a room until it is killed.
import { openEngine } from './open-engine.ts'

const engine = openEngine(process.argv[2] ?? '', { lease: 1 })
await engine.presence.join('lobby', { id: 'ada', data: '{}' })
console.log('joined')
setInterval(() => {}, 1_000) // the engine does not keep the process alive
