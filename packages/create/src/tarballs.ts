import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from './failure.ts'

/** Our packages as files that `npm pack` made, by name, each as a version that npm installs. */
export function readTarballs(folder: string): ReadonlyMap<string, string> {
  const path = resolve(folder)
  const files = existsSync(path) ? readdirSync(path) : []
  const found = files.flatMap((file): [string, string][] => {
    const name = /^sdk-([a-z-]+)-\d+\.\d+\.\d+\S*\.tgz$/.exec(file)?.[1]
    return name === undefined ? [] : [[`@sdk/${name}`, `file:${join(path, file)}`]]
  })
  if (found.length === 0)
    throw new Failure(`there are no packages in ${path}: expected files such as sdk-server-0.1.0.tgz`)
  return new Map(found)
}
