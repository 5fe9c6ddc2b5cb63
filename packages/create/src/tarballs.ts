import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CreateFailure } from './failure.ts'

/** An SDK package file created by `npm pack`. */
export interface Tarball {
  readonly name: string
  readonly file: string
}

/** The folder for tarballs. It is inside the project, so that the project can be moved or built in a container. */
const FOLDER = 'vendor'

/** Finds the SDK package files in a folder. Throws if there are none. */
export function readTarballs(folder: string): Tarball[] {
  const path = resolve(folder)
  const files = existsSync(path) ? readdirSync(path) : []
  const found = files.flatMap((file): Tarball[] => {
    const name = /^sdk-([a-z-]+)-\d+\.\d+\.\d+\S*\.tgz$/.exec(file)?.[1]
    return name === undefined ? [] : [{ name: `@sdk/${name}`, file: join(path, file) }]
  })
  if (found.length > 0) return found
  throw new CreateFailure(`no packages found in ${path}`, {
    fix: 'use a folder that contains the output of npm pack, such as sdk-server-1.0.0.tgz',
  })
}

/** Copies packages into a project. Returns the version to use in `package.json` for each package. */
export function copyTarballs(tarballs: readonly Tarball[], directory: string): ReadonlyMap<string, string> {
  const needed = tarballs.filter(({ name }) => name !== '@sdk/create')
  if (needed.length > 0) mkdirSync(join(directory, FOLDER))
  return new Map(
    needed.map(({ name, file }) => {
      const path = `${FOLDER}/${name.replace('@sdk/', 'sdk-')}.tgz`
      copyFileSync(file, join(directory, path))
      return [name, `file:${path}`]
    }),
  )
}
