import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type NodeProcess, startProcess, temporaryFolder } from '@sdk/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject, type DemoProject } from './demo-project.ts'
import { runSdk, SDK, startDev, toNeutral } from './mistakes/terminal.ts'
import { runSdkHere } from './sdk-here.ts'

const API = `import { createResource, createRouter } from '@sdk/server'
import { table } from '@sdk/database'
import { z } from 'zod'

const notes = createResource('notes', { schema: z.object({ text: z.string() }), store: table('notes'), access: 'public' })

export default createRouter().resource('v1', notes)
`

describe('the command line', () => {
  const project = createDemoProject()

  it('suggests a command for an unknown one', async () => {
    expect(await runSdk(project.path, ['dve'])).toMatchInlineSnapshot(`
      "✗ unknown command "dve"
        did you mean sdk dev?
      (2)"
    `)
  })

  it('suggests an option for an unknown one', async () => {
    expect(await runSdkHere(project.path, ['dev', '--prot', '4000'])).toMatchInlineSnapshot(`
      "✗ sdk dev has no option --prot
        did you mean --port?
      (2)"
    `)
  })

  it('reports an invalid port', async () => {
    expect(await runSdkHere(project.path, ['dev'], { PORT: 'http' })).toMatchInlineSnapshot(`
      "✗ the port must be a number from 0 to 65535, got "http"
        set --port, PORT, or port in sdk.config.ts, for example sdk dev --port <port>
        for details, run sdk explain INVALID_PORT
      (1)"
    `)
  })

  it('reports a missing project', async () => {
    expect(await runSdkHere(temporaryFolder('mistakes').path, ['dev'])).toMatchInlineSnapshot(`
      "✗ no package.json found in <app> or its parent folders
        change to your project folder, or create a project: npm create @sdk my-app
        for details, run sdk explain NO_PROJECT
      (1)"
    `)
  })

  it('reports an empty project', async () => {
    const { path } = temporaryFolder('mistakes')
    writeFileSync(join(path, 'package.json'), '{}')
    expect(await runSdkHere(path, ['dev'])).toMatchInlineSnapshot(`
      "✗ nothing to run in <app>
        add an agent with sdk add agent hello, an API in src/api/index.ts or a web app in src/web/index.tsx; or create a project: npm create @sdk my-app
        for details, run sdk explain NOTHING_TO_RUN
      (1)"
    `)
  })

  it.each(['list', 'dev', 'doctor', 'info', 'build'])('reports an invalid package.json for sdk %s', async (command) => {
    const broken = createDemoProject()
    broken.write('package.json', '{ "name": "demo", }')
    expect(await runSdkHere(broken.path, [command])).toMatch(
      /^✗ <app>\/package\.json is not valid JSON: .* position 18.*\n {2}fix the syntax error\n.*\n\(1\)$/,
    )
  })

  it('reports a folder that it cannot create', async () => {
    const full = createDemoProject()
    full.write('src/agent/zz', 'a file in the place of the folder')
    expect(await runSdkHere(full.path, ['add', 'agent', 'zz'])).toMatchInlineSnapshot(`
      "✗ EEXIST: file already exists, mkdir '<app>/src/agent/zz'
        a file exists where a folder is expected: move it
        for details, run sdk explain SYSTEM_REFUSED
      (1)"
    `)
  })

  it('reports a folder that it cannot read', async () => {
    const other = createDemoProject()
    other.remove('src/api')
    symlinkSync('api', join(other.path, 'src/api')) // not readable for root either
    expect(await runSdkHere(other.path, ['dev'])).toMatchInlineSnapshot(`
      "✗ ELOOP: too many symbolic links encountered, stat '<app>/src/api/index.ts'
        symbolic links form a loop: ls -l shows their targets
        for details, run sdk explain SYSTEM_REFUSED
      (1)"
    `)
  })

  it('reports an address that is not available', async () => {
    expect(await runSdk(project.path, ['dev', '--host', '203.0.113.7', '--port', '0'])).toMatchInlineSnapshot(`
      "✗ listen EADDRNOTAVAIL: address not available 203.0.113.7
        choose another address or port, for example HOST=0.0.0.0 PORT=4000
        for details, run sdk explain CANNOT_LISTEN
      (1)"
    `)
  })

  it('reports a missing build', async () => {
    expect(await runSdkHere(project.path, ['start'])).toMatchInlineSnapshot(`
      "✗ no build found in dist/server
        run sdk build
        for details, run sdk explain NO_BUILD
      (1)"
    `)
  })

  it('reports an unsupported version of Node', async () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } }); import(${JSON.stringify(SDK)})`
    const running = await startProcess({ command: process.execPath, args: ['-e', pretend] })
    const { code } = await running.exited
    expect(`${running.output()}(${code})`).toMatchInlineSnapshot(`
      "sdk requires Node 20.19 or newer, got Node 18.20.8.
      Install a newer version from https://nodejs.org or with your version manager.
      (1)"
    `)
  })
})

describe('sdk.config.ts', () => {
  const project = createDemoProject()

  it('is rejected with a suggestion if a setting is unknown', async () => {
    project.write('sdk.config.ts', 'export default { prot: 4000 }\n')
    expect(await runSdkHere(project.path, ['dev'])).toMatchInlineSnapshot(`
      "✗ sdk.config.ts: unknown setting "prot"
        did you mean port?
        for details, run sdk explain INVALID_CONFIG
      (1)"
    `)
  })

  it('is rejected if a setting has the wrong type', async () => {
    project.write('sdk.config.ts', `export default { cors: 'https://example.com' }\n`)
    expect(await runSdkHere(project.path, ['dev'])).toMatchInlineSnapshot(`
      "✗ sdk.config.ts: cors must be an array of origins such as ['https://app.example.com'], got "https://example.com"
        correct cors in sdk.config.ts
        for details, run sdk explain INVALID_CONFIG
      (1)"
    `)
  })

  it('is rejected with its location if it does not compile', async () => {
    project.write('sdk.config.ts', 'export default { port: }\n')
    expect(await runSdkHere(project.path, ['dev'])).toMatchInlineSnapshot(`
      "✗ sdk.config.ts:1:24 failed to load: Unexpected token
        > 1 | export default { port: }
            |                        ^
          2 |
        correct <app>/sdk.config.ts, or delete it: every setting has a default
        for details, run sdk explain INVALID_CONFIG
      (1)"
    `)
    project.remove('sdk.config.ts')
  })
})

describe('sdk dev and sdk doctor', () => {
  it('report an invalid database URL', async () => {
    const [printed] = await devOutput(createApiProject(), { DATABASE_URL: 'mysql://localhost/app' }, [/^✗ .*\n.*$/m])
    expect(printed).toMatchInlineSnapshot(`
      "✗ src/api/index.ts:5:88
        DATABASE_URL must be a database URL, got mysql://… (it selects the app's database). Example: DATABASE_URL=postgres://user:password@host:5432/name, or pglite://.sdk/data for the embedded database"
    `)
  })

  it('report an unreachable database and Redis', async () => {
    const env = {
      DATABASE_URL: `postgres://ada:secret@127.0.0.1:${await freePort()}/app`,
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    }
    const [database, redis] = await devOutput(createApiProject(), env, [/^.* error .*$/m, /^.* is unreachable .*$/m])
    expect(database).toMatchInlineSnapshot(
      `"<time> error the store for notes is not ready error="The database cannot be reached" cause={"error":"connect ECONNREFUSED 127.0.0.1:<port>"} hint="start the database, or correct the host and port in DATABASE_URL; sdk doctor checks the connection""`,
    )
    expect(redis).toMatchInlineSnapshot(
      `"<time> warn  Redis is unreachable connection="publish" error="connect ECONNREFUSED 127.0.0.1:<port>" hint="start Redis, or unset REDIS_URL: a single process does not need it""`,
    )
  })

  describe('with a running dev server', () => {
    const project = createApiProject()
    let first: NodeProcess
    beforeAll(async () => {
      first = await startDev(project, { DATABASE_URL: undefined })
      await first.waitFor(/opened the embedded database/)
      await first.waitFor(/ready in/)
      return () => first.kill()
    })

    it('report a second server in the same folder', async () => {
      expect(await runSdkHere(project.path, ['dev'])).toMatchInlineSnapshot(`
        "✗ sdk dev is already running in this folder: http://127.0.0.1:<port> (pid <pid>)
          use that server, or stop it first: kill <pid>
          for details, run sdk explain ALREADY_RUNNING
        (1)"
      `)
    })

    it('report a second server with the same data folder', async () => {
      const env = { DATABASE_URL: `pglite://${project.path}/.sdk/data` }
      const [printed = ''] = await devOutput(createApiProject(), env, [/^.* error .*$/m])
      expect(printed.replaceAll(project.path, '<first>')).toMatchInlineSnapshot(
        `"<time> error the store for notes is not ready error="The embedded database in <first>/.sdk/data is already open in another process (pid <pid>). Stop that process, or use another directory (pglite://other/dir) or a PostgreSQL server (DATABASE_URL=postgres://…).""`,
      )
    })

    it('return 404 with a hint if the project has no web app', async () => {
      const response = await fetch(first.url)
      expect(`${response.status} ${await response.text()}`).toMatchInlineSnapshot(
        `"404 {"error":{"code":"NOT_FOUND","message":"this project has no web app: add src/web/index.tsx. The workbench is at /_workbench","details":[]}}"`,
      )
    })
  })

  it('stop on Ctrl-C while a module is loading', async () => {
    const { path, edit, remove } = createDemoProject()
    remove('src/web')
    edit(
      'src/api/index.ts',
      'export default',
      `console.log('loading')\nawait new Promise((resolve) => setTimeout(resolve, 60_000))\nexport default`,
    )
    const running = await startProcess({ command: process.execPath, args: [SDK, 'dev'], cwd: path, env: { PORT: '0' } })
    await running.waitFor(/loading/)
    running.signal('SIGINT')
    expect((await running.exited).code).toBe(0)
    expect(running.output()).toBe('loading\n  received SIGINT, closing\n')
  })

  it('report two copies of React', async () => {
    const project = createDemoProject()
    project.remove('node_modules')
    for (const folder of ['node_modules/react', 'node_modules/old-widgets/node_modules/react']) {
      const version = folder.includes('old') ? '18.3.1' : '19.2.0'
      project.write(`${folder}/package.json`, JSON.stringify({ name: 'react', version }))
    }
    expect(await found(project, 'DUPLICATE_PACKAGE')).toMatchInlineSnapshot(`
      "✗ node_modules/react: react is installed 2 times, and the copies do not share state: 19.2.0 in node_modules/react, 18.3.1 in node_modules/old-widgets/node_modules/react DUPLICATE_PACKAGE
          npm ls react shows which package needs which version; use one version, then run npm dedupe"
    `)
  })

  it('report a hook without its provider', async () => {
    const project = createDemoProject()
    project.edit(
      'src/web/App.tsx',
      'export function App() {',
      `import { useAPI } from '@sdk/react'\n\nexport function App() {\n  useAPI('GET /api/status')`,
    )
    expect(await found(project, 'PROVIDER_MISSING')).toMatchInlineSnapshot(`
      "✗ src/web/App.tsx: a hook is used without <SdkProvider>: the hook throws PROVIDER_MISSING
          wrap the app in <SdkProvider> in src/web/index.tsx"
    `)
  })

  /** Returns the output of `sdk doctor` for an error code. */
  async function found({ path }: DemoProject, code: string): Promise<string> {
    const lines = (await runSdkHere(path, ['doctor'])).split('\n')
    const first = lines.findIndex((line) => line.endsWith(code))
    return lines.slice(first, first + 2).join('\n')
  }

  /** Returns the first output of a dev server that matches each pattern. */
  async function devOutput({ path }: DemoProject, env: Record<string, string>, patterns: RegExp[]): Promise<string[]> {
    const server = await startProcess({
      command: process.execPath,
      args: [SDK, 'dev'],
      cwd: path,
      env: { PORT: '0', ...env },
    })
    try {
      return await Promise.all(patterns.map(async (pattern) => toNeutral(await server.waitFor(pattern), path)))
    } finally {
      await server.kill()
    }
  }
})

/** A project with a table, and without a web app. */
function createApiProject(): DemoProject {
  const project = createDemoProject()
  project.write('src/api/index.ts', API)
  project.remove('src/web')
  return project
}
