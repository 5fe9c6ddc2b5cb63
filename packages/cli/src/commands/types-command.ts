import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Command } from './command.ts'
import { findProject } from '../discover.ts'
import { expandTypes } from '../route-types/expand-types.ts'
import { usageFailure } from '../failure.ts'
import { loadOrFail } from '../load/load-once.ts'
import { routeTypesFile, writeRouteTypes } from '../route-types/route-types.ts'

/** The `sdk types` command. */
export const typesCommand: Command = {
  summary: 'writes the types of all routes to src/sdk-routes.d.ts',
  mode: 'development',
  options: {
    expand: { summary: 'also writes expanded types, for a web package that must not load the server’s sources' },
    out: { value: 'file', summary: 'the output file for --expand (default: dist/sdk-routes.d.ts)' },
    json: { summary: 'prints the written files as JSON' },
  },
  examples: [
    'sdk types',
    'sdk types && git diff --exit-code src/sdk-routes.d.ts',
    'sdk types --expand --out ../web/src/sdk-routes.d.ts',
  ],
  async run({ cwd, terminal, has, text }) {
    if (text('out') !== undefined && !has('expand'))
      throw usageFailure(
        '--out requires --expand: otherwise only src/sdk-routes.d.ts is written',
        'sdk types --expand --out FILE',
      )
    const project = findProject(cwd)
    const { app, pointers } = await loadOrFail(project, terminal)
    const isWritten = writeRouteTypes({ project, routes: app.routes, pointers })
    const files: WrittenFile[] = [{ file: relative(project.root, routeTypesFile(project.root)), isWritten }]
    if (has('expand')) {
      const target = resolve(cwd, text('out') ?? resolve(project.root, 'dist/sdk-routes.d.ts'))
      const expanded = expandTypes(project.root, app.routes)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, expanded)
      files.push({ file: relative(cwd, target), isWritten: true, routes: app.routes.length })
    }
    if (has('json')) return terminal.out(JSON.stringify(files, null, 2))
    for (const file of files) terminal.out(toFileLine(file))
  },
}

interface WrittenFile {
  readonly file: string
  /** Whether the file was written. False if it was already up to date. */
  readonly isWritten: boolean
  /** The number of expanded routes. */
  readonly routes?: number
}

function toFileLine({ file, isWritten, routes }: WrittenFile): string {
  const count = routes === undefined ? '' : `: ${routes} ${routes === 1 ? 'route' : 'routes'}`
  return `${file} ${isWritten ? 'written' : 'is up to date'}${count}`
}
