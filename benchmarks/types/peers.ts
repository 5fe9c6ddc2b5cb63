import {
  answer,
  called,
  CLIENT,
  client,
  groups,
  INPUT,
  middleRoute,
  schemas,
  type Peer,
  type Sources,
} from './project.ts'

/** All contestants, in the order in which they are printed. */
export const PEERS: Readonly<Record<string, Peer>> = {
  bare: { title: 'bare: schemas and handlers', sources: bare },
  sdk: { title: '@sdk, agents', sources: agents },
  'sdk-react': { title: '@sdk, agents by useAPI', sources: hooks },
  'sdk-api': { title: '@sdk, routes of one API', sources: (count) => api(count, 10) },
  'sdk-api-50': { title: '@sdk, routes of one API, 50 a file', sources: (count) => api(count, 50) },
  'sdk-call': { title: '@sdk, routes of one API, ctx.call', sources: nested },
  trpc: { title: 'tRPC 11', sources: trpc },
  orpc: { title: 'oRPC 1', sources: orpc },
  hono: { title: 'Hono 4 RPC', sources: hono },
}

const ZOD = `import { z } from 'zod'\n`

/**
 * Schemas and functions whose results are validated as in all other projects, and a client that declares its own types.
 */
function bare(count: number): Sources {
  const imports: string[] = []
  const head =
    'const post = async (path: string, input: unknown): Promise<unknown> => (await fetch(path, { method: "POST", body: JSON.stringify(input) })).json()'
  const file = (route: number): string => `src/server/r${route}.ts`
  const files = range(count).map((route) => [
    file(route),
    `${ZOD}${schemas(route)}export type Input${route} = z.input<typeof input${route}>
export type Output${route} = z.output<typeof output${route}>
export function handler${route}(body: unknown): Output${route} {
  const input = input${route}.parse(body)
  const answer: z.input<typeof output${route}> = ${answer(route)}
  return output${route}.parse(answer)
}
`,
  ])
  const text = client(count, {
    head,
    call: (route) => {
      imports.push(`import type { Input${route}, Output${route} } from '../server/r${route}.ts'`)
      return `(await post('/r${route}', ${INPUT} satisfies Input${route})) as Output${route}`
    },
  })
  return {
    files: { ...Object.fromEntries(files), [CLIENT]: `${imports.join('\n')}\n${text}` },
    edited: file(middleRoute(count)),
  }
}

/** One folder per agent, as in the template. */
function agents(count: number): Sources {
  const files = range(count).flatMap((route) => [
    [`src/agent/r${route}/index.ts`, `export { default } from './agent.ts'\n`],
    [
      `src/agent/r${route}/agent.ts`,
      `import { createAgent } from '@sdk/server'\n${ZOD}${schemas(route)}
export default createAgent('r${route}', {
  input: input${route},
  output: output${route},
  handler: (ctx, input) => (${answer(route)}),
})
`,
    ],
  ])
  return {
    files: {
      ...Object.fromEntries(files),
      [CLIENT]: client(count, {
        head: `import { createClient } from '@sdk/frontend'\nconst client = createClient()`,
        call: (route) => `await client.call('POST /agent/r${route}', ${INPUT})`,
      }),
    },
    hasPointers: true,
    edited: `src/agent/r${middleRoute(count)}/agent.ts`,
  }
}

/** The same agents, called with the hook, in each of its forms in turn. */
function hooks(count: number): Sources {
  const sources = agents(count)
  let turn = 0
  const text = client(count, {
    head: `import { useAPI } from '@sdk/react'`,
    call(route) {
      const name = `'POST /agent/r${route}'`
      const options = `onSuccess: (data) => data.id`
      const forms = [name, `${name}, { ${options} }`, `{ route: ${name}, ${options} }`]
      return `await useAPI(${forms[turn++ % forms.length]}).invoke(${INPUT})`
    },
  })
  return { ...sources, files: { ...sources.files, [CLIENT]: text } }
}

/** One router per file, all mounted in one. */
function api(count: number, perFile: number): Sources {
  const route = (number: number): string => `
  .on('POST /r${number}', {
    input: input${number},
    output: output${number},
    handler: (ctx, input) => (${answer(number)}),
  })`
  const whole = groups(count, perFile)
    .map((_, group) => `\n  .mount('/api/g${group}', g${group})`)
    .join('')
  return grouped(count, {
    perFile,
    folder: 'src/api',
    group: (group, routes) =>
      `import { createRouter } from '@sdk/server'\n${ZOD}${routes.map(schemas).join('')}
export const g${group} = createRouter()${routes.map(route).join('')}\n`,
    root: ['index.ts', `import { createRouter } from '@sdk/server'\n`, `export default createRouter()${whole}\n`],
    client: {
      head: `import { createClient } from '@sdk/frontend'\nconst client = createClient()`,
      call: (number) => `await client.call('POST /api/g${Math.floor(number / perFile)}/r${number}', ${INPUT})`,
    },
    hasPointers: true,
  })
}

/** The same API, and an agent that calls ten of its routes. */
function nested(count: number): Sources {
  const sources = api(count, 10)
  const calls = called(count).map(
    (number) => `
    const result${number} = await ctx.call('POST /api/g${Math.floor(number / 10)}/r${number}', ${INPUT})
    total += result${number}.total${number}`,
  )
  const agent = `import { createAgent } from '@sdk/server'
export default createAgent('sum', {
  async handler(ctx) {
    let total = 0${calls.join('')}
    return { total }
  },
})
`
  return { ...sources, files: { ...sources.files, 'src/agent/sum/index.ts': agent } }
}

/** One router per file, all nested in one. */
function trpc(count: number): Sources {
  const route = (number: number): string =>
    `  r${number}: procedure.input(input${number}).output(output${number}).mutation(({ input }) => (${answer(number)})),\n`
  const sources = grouped(count, {
    folder: 'src/server',
    group: (group, routes) =>
      `import { procedure, router } from './trpc.ts'\n${ZOD}${routes.map(schemas).join('')}
export const g${group} = router({\n${routes.map(route).join('')}})\n`,
    root: [
      'app.ts',
      `import { router } from './trpc.ts'\n`,
      `export const app = router({ ${names(count)} })\nexport type App = typeof app\n`,
    ],
    client: {
      head: `import { createTRPCClient, httpBatchLink } from '@trpc/client'
import type { App } from '../server/app.ts'
const client = createTRPCClient<App>({ links: [httpBatchLink({ url: '/trpc' })] })`,
      call: (number) => `await client.g${Math.floor(number / 10)}.r${number}.mutate(${INPUT})`,
    },
  })
  const base = `import { initTRPC } from '@trpc/server'
const t = initTRPC.create()
export const router = t.router
export const procedure = t.procedure
`
  return { ...sources, files: { ...sources.files, 'src/server/trpc.ts': base } }
}

/** Procedures in plain objects, one file each, all in one router. */
function orpc(count: number): Sources {
  const route = (number: number): string =>
    `  r${number}: os.input(input${number}).output(output${number}).handler(({ input }) => (${answer(number)})),\n`
  return grouped(count, {
    folder: 'src/server',
    group: (group, routes) =>
      `import { os } from '@orpc/server'\n${ZOD}${routes.map(schemas).join('')}
export const g${group} = {\n${routes.map(route).join('')}}\n`,
    root: ['app.ts', '', `export const app = { ${names(count)} }\n`],
    client: {
      head: `import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import type { RouterClient } from '@orpc/server'
import type { app } from '../server/app.ts'
const client: RouterClient<typeof app> = createORPCClient(new RPCLink({ url: '/rpc' }))`,
      call: (number) => `await client.g${Math.floor(number / 10)}.r${number}(${INPUT})`,
    },
  })
}

/** A chain of routes per file, all mounted in one chain. */
function hono(count: number): Sources {
  const route = (number: number): string => `
  .post('/r${number}', zValidator('json', input${number}), (c) => {
    const input = c.req.valid('json')
    return c.json(output${number}.parse(${answer(number)}), 200)
  })`
  const whole = groups(count)
    .map((_, group) => `\n  .route('/g${group}', g${group})`)
    .join('')
  return grouped(count, {
    folder: 'src/server',
    group: (group, routes) =>
      `import { zValidator } from '@hono/zod-validator'\nimport { Hono } from 'hono'\n${ZOD}${routes.map(schemas).join('')}
export const g${group} = new Hono()${routes.map(route).join('')}\n`,
    root: [
      'app.ts',
      `import { Hono } from 'hono'\n`,
      `export const app = new Hono()${whole}\nexport type App = typeof app\n`,
    ],
    client: {
      head: `import { hc, parseResponse } from 'hono/client'\nimport type { App } from '../server/app.ts'\nconst client = hc<App>('/')`,
      call: (number) => `await parseResponse(client.g${Math.floor(number / 10)}.r${number}.$post({ json: ${INPUT} }))`,
    },
  })
}

interface Grouped {
  /** @default 10 */
  perFile?: number
  folder: string
  group: (group: number, routes: number[]) => string
  /** The file with all groups: its name, the text before its imports, and the text after them. */
  root: [name: string, head: string, body: string]
  client: Parameters<typeof client>[1]
  hasPointers?: boolean
}

/** Creates a project with a number of routes per file, all imported by one file. */
function grouped(count: number, text: Grouped): Sources {
  const { folder, root, perFile = 10, hasPointers = false } = text
  const [name, head, body] = root
  const imports = groups(count, perFile).map((_, group) => `import { g${group} } from './g${group}.ts'\n`)
  const files = groups(count, perFile).map((routes, group) => [`${folder}/g${group}.ts`, text.group(group, routes)])
  return {
    files: {
      ...Object.fromEntries(files),
      [`${folder}/${name}`]: `${head}${imports.join('')}\n${body}`,
      [CLIENT]: client(count, text.client),
    },
    hasPointers,
    edited: `${folder}/g${Math.floor(middleRoute(count) / perFile)}.ts`,
  }
}

function names(count: number): string {
  return groups(count)
    .map((_, group) => `g${group}`)
    .join(', ')
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
