// N processes behind a balancer: npm start -- 4. SIGHUP restarts them one by one. A process that exits is restarted.
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startBalancer } from './balancer.ts'

const COUNT = Number(process.argv[2] ?? 4)
const PORT = Number(process.env['PORT'] ?? 3000)
const SERVICE = fileURLToPath(new URL('service.ts', import.meta.url))

/** The time within which a process must be ready, in ms. */
const READY_MS = 30_000

const ports = Array.from({ length: COUNT }, (_, index) => PORT + 1 + index)
const services = new Map(ports.map((port) => [port, start(port)]))
let isClosing = false

const balancer = await startBalancer(PORT, ports)
await Promise.all(ports.map(untilReady))
console.log(`${COUNT} processes behind http://127.0.0.1:${balancer.port}`)

process.on('SIGHUP', () => void restartAll())
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close())

function start(port: number): ChildProcess {
  const child = spawn(process.execPath, [...process.execArgv, SERVICE], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'inherit',
  })
  child.once('exit', () => {
    if (!isClosing) services.set(port, start(port))
  })
  return child
}

/** Restarts the processes one by one, waiting until each is ready. */
async function restartAll(): Promise<void> {
  for (const port of ports) {
    const old = services.get(port)
    old?.kill('SIGTERM')
    while (services.get(port) === old) await later(50)
    await untilReady(port)
  }
  console.log('all processes were restarted')
}

async function untilReady(port: number): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await later(100)) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
  }
}

async function close(): Promise<void> {
  isClosing = true
  for (const child of services.values()) child.kill('SIGTERM')
  await Promise.all(Array.from(services.values(), (child) => new Promise((resolve) => child.once('exit', resolve))))
  await balancer.close()
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
