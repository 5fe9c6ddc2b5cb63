// A program whose engine is unavailable: it must keep running, and exit when it closes the engine.
import { ApiError } from '@sdk/server'
import { openEngine } from './open-engine.ts'

const engine = openEngine(process.argv[2] ?? '')
const subscribing = engine.subscribe('lobby', () => undefined)
const result = await engine.publish('lobby', 'hello').catch((error: unknown) => error)
await engine.close()
await subscribing
console.log(`closed after ${result instanceof ApiError ? result.code : 'no error'}`)
