import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { hasRedis } from './programs.ts'
import { startRedis } from './redis.ts'

describe.skipIf(!hasRedis())('startRedis', () => {
  it('keeps its data when it is killed and started again', async () => {
    const redis = await startRedis()
    expect(await ask(redis.url, 'SET greeting hello')).toBe('+OK')

    await redis.kill()
    await expect(ask(redis.url, 'PING')).rejects.toThrow('ECONNREFUSED')

    await redis.start()
    expect(await ask(redis.url, 'GET greeting')).toBe('$5\r\nhello')
    await redis.stop()
  })

  it('starts as soon as a kill under way is done', async () => {
    const redis = await startRedis()
    const killed = redis.kill()
    await redis.start()
    await killed
    expect(await ask(redis.url, 'PING')).toBe('+PONG')
    await redis.stop()
  })

  it('refuses to start twice', async () => {
    const redis = await startRedis()
    await expect(redis.start()).rejects.toThrow('still running')
    await redis.stop()
  })
})

function ask(url: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    socket.once('data', (answer) => {
      resolve(answer.toString().trim())
      socket.destroy()
    })
    socket.write(`${command}\r\n`)
  })
}
