import { connect, createServer } from 'node:net'
import { dependenciesOf, findPackage } from '../manifest.ts'
import { readDevServerInfo } from '../dev/dev-server-info.ts'
import { chooseHost, parsePort } from '../listen.ts'
import { readConfig } from '../read-config.ts'
import { toFindings, type DoctorCheck, type Finding } from './finding.ts'

const CONNECT_MS = 2000

/** Is there what signing in needs in production? */
export const checkAuth: DoctorCheck = ({ manifest, env }) => {
  if (dependenciesOf(manifest)['@sdk/auth'] === undefined) return []
  const { AUTH_SECRET: secret = '', AUTH_URL: url = '' } = env
  const make = 'in production set it to the output of openssl rand -base64 32'
  const findings: Finding[] = []
  if (secret === '')
    findings.push(
      notSetFinding('AUTH_SECRET', 'sessions are signed with it, and production does not start without it', make),
    )
  else if (secret.length < 32)
    findings.push({
      code: 'AUTH_SECRET_WEAK',
      level: 'error',
      message: `AUTH_SECRET has ${secret.length} characters, but production needs at least 32 random ones`,
      place: 'AUTH_SECRET',
      fix: make,
    })
  if (url === '')
    findings.push(
      notSetFinding(
        'AUTH_URL',
        'links in mails begin with it',
        'in production set it to the origin users see, as in https://app.example.com',
      ),
    )
  return findings
}

/** Is `DATABASE_URL` set and valid, and does the database answer? */
export const checkDatabase: DoctorCheck = async ({ manifest, env }) => {
  const url = env['DATABASE_URL'] ?? ''
  if (url === '') {
    const needs = dependenciesOf(manifest)['@sdk/database'] !== undefined
    const fix = 'in production set it to postgres://…, or to pglite://.sdk/data for the embedded one'
    return needs
      ? [notSetFinding('DATABASE_URL', 'production does not choose the embedded database by itself', fix)]
      : []
  }
  if (/^pglite:\/\/./.test(url)) return []
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    const fix = 'write postgres://user:password@host:5432/name, pglite://some/folder or pglite://memory'
    const message = 'DATABASE_URL is not the URL of a database'
    return toFindings('DATABASE_URL_INVALID', 'error', { message, place: 'DATABASE_URL', fix })
  }
  const target = parseHostAndPort(url, 5432)
  if (target === null || (await isListening(target))) return []
  return [unreachableFinding('DATABASE_UNREACHABLE', 'DATABASE_URL', target)]
}

/** Does Redis answer, and is the package installed that uses it? */
export const checkRedis: DoctorCheck = async ({ root, env }) => {
  const url = env['REDIS_URL'] ?? ''
  if (url === '' || !URL.canParse(url)) return []
  const findings: Finding[] = []
  if (findPackage(root, '@sdk/redis') === null)
    findings.push({
      code: 'REDIS_NOT_INSTALLED',
      level: 'error',
      message: 'REDIS_URL is set, but @sdk/redis is not installed: every process keeps its state to itself',
      place: 'REDIS_URL',
      fix: 'npm install @sdk/redis',
    })
  const target = parseHostAndPort(url, 6379)
  if (target !== null && !(await isListening(target)))
    findings.push(unreachableFinding('REDIS_UNREACHABLE', 'REDIS_URL', target))
  return findings
}

/** Is the port free? */
export const checkPort: DoctorCheck = async ({ root, env }) => {
  const config = await readConfig(root).catch(() => ({ port: undefined, host: undefined })) // told by another check
  const port = parsePort(env['PORT'], config.port ?? 3000)
  const host = chooseHost(env['HOST'], config.host)
  const devServer = readDevServerInfo(root)
  if (
    port === 0 ||
    (devServer !== null && Number(new URL(devServer.url).port) === port) ||
    (await isPortFree(port, host))
  )
    return []
  return toFindings('PORT_TAKEN', 'warning', {
    message: `another process listens on ${host}:${port}: sdk dev takes the next free port, and sdk start fails`,
    place: `port ${port}`,
    fix: `stop that process (lsof -i :${port} tells which), or choose another port: PORT=${port + 1}`,
  })
}

function notSetFinding(name: 'AUTH_SECRET' | 'AUTH_URL' | 'DATABASE_URL', why: string, fix: string): Finding {
  return { code: `${name}_MISSING`, level: 'note', message: `${name} is not set: ${why}`, place: name, fix }
}

interface HostAddress {
  readonly host: string
  readonly port: number
}

function unreachableFinding(code: Finding['code'], place: string, { host, port }: HostAddress): Finding {
  const message = `nobody answers at ${host}:${port}, where ${place} points`
  return {
    code,
    level: 'error',
    message,
    place,
    fix: 'start the server there, correct the address, or open the firewall',
  }
}

/** Host and port in a URL; null for a socket in the file system. */
function parseHostAndPort(url: string, usual: number): HostAddress | null {
  const { hostname, port } = new URL(url)
  if (hostname === '' || hostname.startsWith('%2F')) return null
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) }
}

function isListening({ host, port }: HostAddress): Promise<boolean> {
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

/** All that is asked about the environment. */
export const environmentChecks: readonly DoctorCheck[] = [checkAuth, checkDatabase, checkRedis, checkPort]
