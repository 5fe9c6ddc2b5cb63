import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort, type RunningProcess, startProcess, temporaryFolder } from '@sdk/test-kit'

/** A group of Redis servers. */
export interface RedisGroup {
  readonly url: string
  readonly ports: readonly number[]
  stop(): Promise<void>
}

const SLOTS = 16_384

/** A cluster of three masters. */
export async function startRedisCluster(): Promise<RedisGroup> {
  const [servers, ports] = await startMany(3, { 'cluster-enabled': 'yes', 'cluster-node-timeout': '60000' })
  const [first = 0] = ports
  for (const [index, port] of ports.entries()) {
    const [from, to] = [index, index + 1].map((nth) => Math.floor((SLOTS * nth) / ports.length)) as [number, number]
    await command(port, `CLUSTER ADDSLOTSRANGE ${from} ${to - 1}`)
    await command(port, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`)
    if (port !== first) await command(first, `CLUSTER MEET 127.0.0.1 ${port}`)
  }
  for (const port of ports) {
    while (!/cluster_state:ok[^]*cluster_known_nodes:3/.test(await command(port, 'CLUSTER INFO'))) await turn()
  }
  return { url: `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`, ports, stop: servers.stop }
}

/** A master, its replica, and a sentinel that monitors them. */
export async function startRedisSentinel(): Promise<RedisGroup> {
  const [servers, ports] = await startMany(2, {})
  const [master = 0, replica = 0] = ports
  await command(replica, `REPLICAOF 127.0.0.1 ${master}`)
  while (!(await command(replica, 'INFO replication')).includes('master_link_status:up')) await turn()
  const folder = temporaryFolder('sentinel')
  const [file, port] = [join(folder.path, 'sentinel.conf'), await freePort()]
  const settings = ['down-after-milliseconds main 1000', 'failover-timeout main 5000'].map((line) => `sentinel ${line}`)
  const watched = `sentinel monitor main 127.0.0.1 ${master} 1`
  writeFileSync(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${folder.path}`, watched, ...settings, ''].join('\n'))
  const sentinel = await startProcess({ command: 'redis-server', args: [file, '--sentinel'] })
  while (!(await command(port, 'SENTINEL replicas main').catch(() => '')).includes(String(replica))) await turn()
  return {
    url: `redis+sentinel://127.0.0.1:${port}/main`,
    ports: [...ports, port],
    async stop() {
      await sentinel.kill()
      await servers.stop()
      folder.remove()
    },
  }
}

type Servers = Pick<RedisGroup, 'stop'>

async function startMany(count: number, extra: Readonly<Record<string, string>>): Promise<[Servers, number[]]> {
  const folders = Array.from({ length: count }, () => temporaryFolder('redis'))
  const ports = await Promise.all(folders.map(freePort))
  const started = await Promise.all(
    folders.map(async ({ path }, index): Promise<RunningProcess> => {
      const settings = { port: String(ports[index]), bind: '127.0.0.1', dir: path, save: '', ...extra }
      const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
      const server = await startProcess({ command: 'redis-server', args })
      await server.waitFor(/Ready to accept connections/)
      return server
    }),
  )
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.kill()))
    for (const folder of folders) folder.remove()
  }
  return [{ stop }, ports]
}

/** Sends one inline command, and returns the first response. */
export async function command(port: number, line: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.write(`${line}\r\n`)
    const [data] = (await once(socket, 'data')) as [Buffer]
    return data.toString()
  } finally {
    socket.destroy()
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50))
}
