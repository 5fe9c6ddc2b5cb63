import { join } from 'node:path'
import nodeModule, { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as Ai from 'ai'
import type * as AiTest from 'ai/test'
import { installPackages } from '../../scripts/nodes.ts'

/** A version of the AI SDK, with its mock model. The types of version 6 describe what the tests use of version 7. */
export interface AiSdk {
  readonly name: string
  readonly ai: typeof Ai
  readonly MockModel: typeof AiTest.MockLanguageModelV3
  /** Returns a module that is installed with this version. */
  load(name: string): Promise<unknown>
}

const require = createRequire(import.meta.url)

/**
 * The file of OpenTelemetry that Node can load. Vitest's conditions select the files for bundlers, which it cannot load.
 */
const OTEL_API = require.resolve('@opentelemetry/api').replace('/build/esm/', '/build/src/')

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/ai-7', import.meta.url))

/** The version of `@ai-sdk/otel` decides on the version of `ai`, which it requires exactly. */
const OTEL = { name: '@ai-sdk/otel', version: '1.0.172' }

/** Returns the version that is a development dependency. */
export async function loadVersion6(): Promise<AiSdk> {
  const entry = require.resolve('@opentelemetry/api')
  require(OTEL_API)
  require.cache[entry] = require.cache[OTEL_API]
  const [ai, test] = [require('ai') as typeof Ai, require('ai/test') as typeof AiTest]
  return { name: 'ai 6', ai, MockModel: test.MockLanguageModelV3, load: async (name) => require(name) as unknown }
}

/** Whether this Node can run version 7. */
export const hasVersion7: boolean = Number(process.versions.node.split('.', 1)[0]) >= 22

/** Installs version 7 into a separate folder on first use. */
export async function loadVersion7(): Promise<AiSdk> {
  await installPackages(CACHE, [OTEL])
  const load = async (path: string): Promise<unknown> => {
    const hooks = (nodeModule as unknown as ModuleHooks).registerHooks({
      resolve: (name, context, next) =>
        name === '@opentelemetry/api' ? { url: pathToFileURL(OTEL_API).href, shortCircuit: true } : next(name, context),
    })
    try {
      return (await import(/* @vite-ignore */ pathToFileURL(join(CACHE, 'node_modules', path)).href)) as unknown
    } finally {
      hooks.deregister()
    }
  }
  const { MockLanguageModelV4 } = (await load('ai/dist/test/index.js')) as { MockLanguageModelV4: AiSdk['MockModel'] }
  return { name: 'ai 7', ai: (await load('ai/dist/index.js')) as typeof Ai, MockModel: MockLanguageModelV4, load }
}

/** The hooks of Node 22 and later, which the types of Node 20 do not contain. */
interface ModuleHooks {
  registerHooks(hooks: { resolve(name: string, context: unknown, next: Resolve): unknown }): { deregister(): void }
}

type Resolve = (name: string, context: unknown) => unknown
