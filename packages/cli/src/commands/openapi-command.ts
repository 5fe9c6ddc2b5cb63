import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { openapi } from '@sdk/server'
import type { Command } from './command.ts'
import { findProject } from '../discover.ts'
import { loadOrFail } from '../load/load-once.ts'
import { readManifest } from '../manifest.ts'

/** The `sdk openapi` command. */
export const openapiCommand: Command = {
  summary: 'prints the OpenAPI 3.1 document for the API',
  mode: 'development',
  options: {
    out: { value: 'file', summary: 'writes the document to this file instead of standard output' },
    json: { summary: 'prints the result and failures as JSON' },
  },
  examples: ['sdk openapi', 'sdk openapi --out openapi.json'],
  async run({ cwd, terminal, text, has }) {
    const project = findProject(cwd)
    const { app } = await loadOrFail(project, terminal)
    const { name: title, version } = readManifest(project.root)
    const document = await openapi(app, {
      ...(title !== undefined && { title }),
      ...(version !== undefined && { version }),
    })
    const json = JSON.stringify(document, null, 2)
    const file = text('out')
    if (file === undefined) return terminal.out(json)
    writeFileSync(resolve(cwd, file), `${json}\n`)
    const paths = Object.keys(document.paths).length
    if (has('json')) return terminal.out(JSON.stringify({ file, paths }))
    terminal.out(`${file} written: ${paths} ${paths === 1 ? 'path' : 'paths'}`)
  },
}
