export { redisEngine, type RedisEngineOptions } from './redis-engine.ts'
