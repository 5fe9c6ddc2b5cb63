import { chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { preparePostgres } from './postgres-binaries.ts'
import { createData } from './postgres-data.ts'
import { type RunningProcess, startProcess } from './running-process.ts'
import { type Service, startService } from './service.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A dedicated PostgreSQL server. */
export interface Postgres extends Service {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>
}

const SERVER_SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=500',
  // These settings make writes faster and are safe enough for tests: data is lost only if the machine crashes, not if
  // the process is killed.
  'fsync=off',
  'full_page_writes=off',
  // Background work, which would visit each of the hundreds of databases again and again.
  'autovacuum=off',
  'max_logical_replication_workers=0',
  'bgwriter_lru_maxpages=0',
  // In the data folder, since servers that are killed leave their shared memory behind.
  'dynamic_shared_memory_type=mmap',
  // Copies the files of a new database in the kernel.
  'file_copy_method=clone',
]

/** Options for `startPostgres`. */
export interface PostgresOptions {
  /** Settings of the server that replace those of the tests, such as `fsync=on`. @default [] */
  readonly settings?: readonly string[]
}

/** Starts a new, empty PostgreSQL server on a free port. */
export async function startPostgres({ settings = [] }: PostgresOptions = {}): Promise<Postgres> {
  const folder = temporaryFolder('postgres')
  const binaries = preparePostgres(folder.path)
  const { bin, user } = binaries
  if (user) chownSync(folder.path, user.uid, user.gid)
  const data = join(folder.path, 'data')
  await createData(data, binaries)

  const port = await freePort()
  const service = await startService({
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    async launch() {
      // The last value of a setting applies.
      const flags = [...SERVER_SETTINGS, ...settings].flatMap((setting) => ['-c', setting])
      const args = ['-D', data, '-p', String(port), ...flags]
      const running = await startProcess({ command: join(bin, 'postgres'), args, ...user })
      await running.waitFor(/ready to accept connections/)
      return { ...running, signal: (name) => signalAll(running, name) }
    },
  })
  return { ...service, createDatabase: () => createDatabaseOn(service.url) }
}

/** Sends a signal to the server and to its children, because each connection is a separate process. */
function signalAll({ pid, signal }: RunningProcess, name: NodeJS.Signals): void {
  signal(name)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  for (const child of children) {
    try {
      process.kill(Number(child), name)
    } catch {
      // The child process exited after the list was read.
    }
  }
}

/** Creates a database with a unique name on a running server and returns its URL. */
export async function createDatabaseOn(serverUrl: string): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    // Copying files takes half the CPU time of writing the copied pages to the log.
    await client.query(`create database ${name} strategy file_copy`)
  } finally {
    await client.end()
  }
  return new URL(`/${name}`, serverUrl).href
}
