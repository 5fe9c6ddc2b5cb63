import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError, type Router } from '@sdk/server'
import type { TestFile } from '../api.ts'
import type { TestRunner } from '../manifest.ts'
import type { Run } from '../run.ts'
import type { RunStore } from '../store/run-store.ts'
import { addRoute } from './api-route.ts'
import { fields, textOf, type FieldCheck } from './fields.ts'

/** Dependencies of the route that writes tests. */
export interface TestDependencies {
  readonly store: Pick<RunStore, 'read'>
  /** The folder of the project. */
  readonly project: string
}

const isFileName: FieldCheck = (value) =>
  typeof value === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/i.test(value)
    ? null
    : 'must consist of letters, digits and hyphens'

const TEST_INPUT = fields<TestFile>({ name: isFileName, code: textOf(60_000) })

/** Adds the route that writes a test and the recordings of its run to the project. */
export function addTestRoutes(router: Router, { store, project }: TestDependencies): void {
  addRoute(router, 'POST /_workbench/api/runs/:id/test', {
    input: TEST_INPUT,
    async handler({ params: { id } }, test) {
      const run = await store.read(id)
      if (run === null) throw new ApiError('NOT_FOUND', `run ${id.slice(0, 64)} not found: it may have been deleted`)
      return { files: writeTest(project, test, run) }
    },
  })
}

/** Writes the files, and returns their paths in the project. */
function writeTest(project: string, { name, code }: TestFile, { recordings }: Pick<Run, 'recordings'>): string[] {
  const folder = !existsSync(join(project, 'tests')) && existsSync(join(project, 'test')) ? 'test' : 'tests'
  const file = `${folder}/${name}.test.ts`
  const models = `${folder}/models/${name}`
  for (const path of [file, models])
    if (existsSync(join(project, path)))
      throw new ApiError('CONFLICT', `${path} already exists: choose another name, or delete it first`)
  if (recordings.some(({ json }) => json.isCut))
    throw new ApiError('CONFLICT', 'the responses of the model were not stored completely: record them with the test')
  mkdirSync(join(project, recordings.length === 0 ? folder : models), { recursive: true })
  const written = recordings.map(({ file: own, json }) => {
    writeFileSync(join(project, models, own), `${JSON.stringify(JSON.parse(json.text), null, 2)}\n`)
    return `${models}/${own}`
  })
  writeFileSync(join(project, file), code, { flag: 'wx' })
  return [file, ...new Set(written)]
}

/** Returns the test runner of a project: Vitest if the project depends on it, and otherwise that of Node. */
export function findTestRunner(project: string): TestRunner {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      dependencies?: object
      devDependencies?: object
    }
    return 'vitest' in { ...dependencies, ...devDependencies } ? 'vitest' : 'node:test'
  } catch {
    return 'node:test' // no package.json
  }
}
