/** A dev server: its files, its command, and the path of its response. */
export interface Peer {
  /** Packages to install for it; without them it uses the packages of this clone. @default none */
  readonly packages?: readonly string[]
  readonly files: Readonly<Record<string, string>>
  /** The command: a script of an installed package, and its arguments. */
  readonly command: (port: number) => readonly [script: string, ...args: string[]]
  readonly env?: (port: number) => Readonly<Record<string, string>>
  readonly route: { readonly method: 'GET' | 'POST'; readonly path: string }
  /** The file that is saved, with the word that the response contains. */
  readonly edit: (word: string) => readonly [file: string, text: string]
}

const toWord = (word: string): string => `export const word = '${word}'\n`

/** Agents that each import their own file and a shared one; one of the two is saved. */
function sdk(agents: number, saved: 'own' | 'shared'): Peer {
  const names = Array.from({ length: agents }, (_, index) => `agent-${index}`)
  return {
    files: {
      'package.json': '{ "name": "bench", "type": "module" }\n',
      'sdk.config.ts': 'export default { rateLimit: false, logLevel: "warn" }\n',
      'src/api/index.ts': `import { createRouter } from '@sdk/server'\n\nexport default createRouter().on('GET /api/status', () => 'ok')\n`,
      'src/shared.ts': toWord('shared'),
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`src/agent/${name}/index.ts`, agent(name)],
          [`src/agent/${name}/own.ts`, toWord('own')],
        ]),
      ),
    },
    command: (port) => ['@sdk/cli/bin/sdk.js', 'dev', '--port', String(port)],
    route: { method: 'POST', path: '/agent/agent-0' },
    edit: (word) => [saved === 'own' ? 'src/agent/agent-0/own.ts' : 'src/shared.ts', toWord(word)],
  }
}

function agent(name: string): string {
  return `import { createAgent } from '@sdk/server'
import { z } from 'zod'
import { word as shared } from '../../shared.ts'
import { word as own } from './own.ts'

export default createAgent('${name}', { output: z.array(z.string()), handler: () => [own, shared] })
`
}

const PLAIN_SERVER = `import { createServer } from 'node:http'
import { word } from './word.ts'

createServer((request, response) => response.end(JSON.stringify(word))).listen(Number(process.env.PORT), '127.0.0.1')
`

const MASTRA = `import { Mastra } from '@mastra/core/mastra'
import { registerApiRoute } from '@mastra/core/server'
import { word } from './word'

export const mastra = new Mastra({
  server: {
    port: Number(process.env.PORT),
    host: '127.0.0.1',
    apiRoutes: [registerApiRoute('/word', { method: 'GET', handler: async (c) => c.json(word) })],
  },
})
`

/** The dev servers, in the order in which they are measured. */
export const PEERS: Readonly<Record<string, Peer>> = {
  sdk: sdk(3, 'own'),
  'sdk-shared': sdk(3, 'shared'),
  'sdk-100': sdk(100, 'own'),
  'sdk-100-shared': sdk(100, 'shared'),
  tsx: {
    files: { 'package.json': '{ "type": "module" }\n', 'server.ts': PLAIN_SERVER },
    command: () => ['tsx/dist/cli.mjs', 'watch', '--clear-screen=false', 'server.ts'],
    env: (port) => ({ PORT: String(port) }),
    route: { method: 'GET', path: '/' },
    edit: (word) => ['word.ts', toWord(word)],
  },
  nitro: {
    packages: ['nitropack'],
    files: {
      'nitro.config.ts': `export default defineNitroConfig({ compatibilityDate: '2026-01-01' })\n`,
      'tsconfig.json': '{}\n',
      'routes/index.get.ts': `import { word } from '../word'\n\nexport default defineEventHandler(() => ({ word }))\n`,
    },
    command: (port) => ['nitropack/dist/cli/index.mjs', 'dev', '--port', String(port), '--host', '127.0.0.1'],
    route: { method: 'GET', path: '/' },
    edit: (word) => ['word.ts', toWord(word)],
  },
  mastra: {
    packages: ['mastra', '@mastra/core', 'zod'],
    files: { 'src/mastra/index.ts': MASTRA },
    command: () => ['mastra/dist/index.js', 'dev'],
    env: (port) => ({ PORT: String(port), MASTRA_TELEMETRY_DISABLED: '1' }),
    route: { method: 'GET', path: '/word' },
    edit: (word) => ['src/mastra/word.ts', toWord(word)],
  },
}
