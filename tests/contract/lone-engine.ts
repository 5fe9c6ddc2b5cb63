// A program whose Redis is not there: it must live with that, and end when it closes the engine.
import { redisEngine } from '@sdk/redis'
import { ApiError } from '@sdk/server'

const engine = redisEngine(process.argv[2] ?? '')
const subscribing = engine.subscribe('lobby', () => undefined)
const refused = await engine.publish('lobby', 'hello').catch((error: unknown) => error)
await engine.close()
await subscribing
console.log(`closed after ${refused instanceof ApiError ? refused.code : 'no refusal'}`)
