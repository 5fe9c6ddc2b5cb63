import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CreateFailure } from './failure.ts'

/** One of our packages as a file that `npm pack` made. */
export interface Tarball {
  readonly name: string
  readonly file: string
}

/** The folder for them inside of the project, so that it can be moved, and built in a container. */
const FOLDER = 'vendor'

/** Finds our packages as files in a folder. */
export function readTarballs(folder: string): Tarball[] {
  const path = resolve(folder)
  const files = existsSync(path) ? readdirSync(path) : []
  const found = files.flatMap((file): Tarball[] => {
    const name = /^sdk-([a-z-]+)-\d+\.\d+\.\d+\S*\.tgz$/.exec(file)?.[1]
    return name === undefined ? [] : [{ name: `@sdk/${name}`, file: join(path, file) }]
  })
  if (found.length > 0) return found
  throw new CreateFailure(`there are no packages in ${path}`, {
    fix: 'name a folder with files such as sdk-server-1.0.0.tgz, as npm pack makes them',
  })
}

/** Copies packages into a project; gives the version that each has in its package.json. */
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
