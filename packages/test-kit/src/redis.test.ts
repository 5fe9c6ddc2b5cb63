import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { hasRedis } from './programs.ts'
import { startRedis } from './redis.ts'

describe.skipIf(!hasRedis())('startRedis', () => {
  it('keeps its data after a kill and a restart', async () => {
    const redis = await startRedis()
    expect(await sendCommand(redis.url, 'SET greeting hello')).toBe('+OK')

    await redis.kill()
    await expect(sendCommand(redis.url, 'PING')).rejects.toThrow('ECONNREFUSED')

    await redis.start()
    expect(await sendCommand(redis.url, 'GET greeting')).toBe('$5\r\nhello')
    await redis.stop()
  })

  it('waits for a pending kill before it starts again', async () => {
    const redis = await startRedis()
    const killed = redis.kill()
    await redis.start()
    await killed
    expect(await sendCommand(redis.url, 'PING')).toBe('+PONG')
    await redis.stop()
  })

  it('rejects if it is started twice', async () => {
    const redis = await startRedis()
    await expect(redis.start()).rejects.toThrow('still running')
    await redis.stop()
  })
})

function sendCommand(url: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    socket.once('data', (reply) => {
      resolve(reply.toString().trim())
      socket.destroy()
    })
    socket.write(`${command}\r\n`)
  })
}
