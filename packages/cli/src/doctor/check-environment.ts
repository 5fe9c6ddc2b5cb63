import { connect, createServer } from 'node:net'
import { dependenciesOf, findPackage } from '../manifest.ts'
import { readDevServerInfo } from '../dev/dev-server-info.ts'
import { chooseHost, parsePort } from '../listen.ts'
import { managerCommands } from '../package-manager.ts'
import { mayBeDurable } from '../run-store.ts'
import { readConfig } from '../read-config.ts'
import { toFindings, type DoctorCheck, type Finding } from './finding.ts'

const CONNECT_MS = 2000

/** Checks the variables that sign-in needs in production. */
export const checkAuth: DoctorCheck = ({ manifest, productionEnv }) => {
  if (dependenciesOf(manifest)['@sdk/auth'] === undefined) return []
  const { AUTH_SECRET: secret = '', AUTH_URL: url = '' } = productionEnv
  const make = 'in production, set it to the output of openssl rand -base64 32'
  const origin = 'in production, set it to the public origin, for example https://app.example.com'
  const missingUrl = url === '' ? notSet('AUTH_URL', 'it is the origin of links in emails', origin) : []
  if (secret.length >= 32) return missingUrl
  if (secret === '')
    return [...notSet('AUTH_SECRET', 'it is used to sign sessions and is required in production', make), ...missingUrl]
  const message = `AUTH_SECRET must have at least 32 random characters in production, got ${secret.length}`
  return [...toFindings('AUTH_SECRET_WEAK', 'error', { message, place: 'AUTH_SECRET', fix: make }), ...missingUrl]
}

/** Checks that `DATABASE_URL` is set and valid, and that the database is reachable. */
export const checkDatabase: DoctorCheck = async ({ manifest, project, env, productionEnv }) => {
  const url = env['DATABASE_URL'] ?? ''
  if (url === '') {
    const isDurable = project.agents.some(({ file }) => mayBeDurable(file))
    const needs = isDurable || dependenciesOf(manifest)['@sdk/database'] !== undefined
    const why = 'the embedded database is not used by default in production'
    const purpose = 'durable agents store their runs in the database, and sdk start requires one'
    const fix = 'in production, set it to postgres://…, or to pglite://.sdk/data for the embedded database'
    return needs && !productionEnv['DATABASE_URL'] ? notSet('DATABASE_URL', isDurable ? purpose : why, fix) : []
  }
  if (/^pglite:\/\/./.test(url)) return []
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    const fix = 'set it to postgres://user:password@host:5432/name, pglite://some/folder or pglite://memory'
    const message = 'DATABASE_URL is not a valid database URL'
    return toFindings('DATABASE_URL_INVALID', 'error', { message, place: 'DATABASE_URL', fix })
  }
  return checkReachable('DATABASE', url, 5432)
}

/** Checks that Redis is reachable, and that its package is installed. */
export const checkRedis: DoctorCheck = async ({ root, env }) => {
  const url = env['REDIS_URL'] ?? ''
  if (url === '' || !URL.canParse(url)) return []
  const missing = toFindings('REDIS_NOT_INSTALLED', 'error', {
    message: 'REDIS_URL is set, but @sdk/redis is not installed: processes do not share state',
    place: 'REDIS_URL',
    fix: `${managerCommands(root).add} @sdk/redis`,
  })
  const isInstalled = findPackage(root, '@sdk/redis') !== null
  return [...(isInstalled ? [] : missing), ...(await checkReachable('REDIS', url, 6379))]
}

/** Checks that the port is free. */
export const checkPort: DoctorCheck = async ({ root, env }) => {
  // Another check reports an invalid config.
  const config = await readConfig(root).catch(() => ({ port: undefined, host: undefined }))
  const port = parsePort(env['PORT'], config.port ?? 3000)
  const host = chooseHost(env['HOST'], config.host)
  const devServer = readDevServerInfo(root)
  const isOwn = devServer !== null && Number(new URL(devServer.url).port) === port
  if (port === 0 || isOwn || (await isPortFree(port, host))) return []
  return toFindings('PORT_TAKEN', 'warning', {
    message: `another process is listening on ${host}:${port}: sdk dev uses the next free port, and sdk start fails`,
    place: `port ${port}`,
    fix: `stop that process (lsof -i :${port} shows it), or choose another port: PORT=${port + 1}`,
  })
}

function notSet(name: 'AUTH_SECRET' | 'AUTH_URL' | 'DATABASE_URL', why: string, fix: string): Finding[] {
  return toFindings(`${name}_MISSING`, 'note', { message: `${name} is not set: ${why}`, place: name, fix })
}

async function checkReachable(name: 'DATABASE' | 'REDIS', url: string, usualPort: number): Promise<Finding[]> {
  const { hostname, port: given } = new URL(url)
  // In the URL of a Unix socket, the host is empty or is the encoded path of the socket.
  if (hostname === '' || hostname.startsWith('%2F')) return []
  const [host, port] = [hostname.replace(/^\[|\]$/g, ''), given === '' ? usualPort : Number(given)]
  if (await isListening(host, port)) return []
  return toFindings(`${name}_UNREACHABLE`, 'error', {
    message: `no server is listening on ${host}:${port}, the address in ${name}_URL`,
    place: `${name}_URL`,
    fix: 'start the server, correct the address, or open the firewall',
  })
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS })
    const end = (is: boolean): void => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}

function isPortFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

/** All environment checks. */
export const environmentChecks: readonly DoctorCheck[] = [checkAuth, checkDatabase, checkRedis, checkPort]
