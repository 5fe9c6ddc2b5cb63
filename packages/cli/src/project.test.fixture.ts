import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@sdk/test-kit'

const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** A project in a temporary folder. */
export interface FileProject {
  readonly root: string
  read(file: string): string
  write(files: Readonly<Record<string, string>>): void
}

/** Creates a project. `isInstalled` adds the packages of this repository. */
export function fileProject(files: Readonly<Record<string, string>>, { isInstalled = false } = {}): FileProject {
  const { path: root } = temporaryFolder('project')
  const project: FileProject = {
    root,
    read: (file) => readFileSync(join(root, file), 'utf8'),
    write(all) {
      for (const [file, text] of Object.entries(all)) {
        mkdirSync(dirname(join(root, file)), { recursive: true })
        writeFileSync(join(root, file), text)
      }
    },
  }
  project.write({ 'package.json': '{ "name": "demo", "type": "module" }\n', ...files })
  if (isInstalled) symlinkSync(NODE_MODULES, join(root, 'node_modules'))
  return project
}
