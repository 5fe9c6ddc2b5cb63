import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Installs another version of React, and returns its `node_modules`. */
export async function installReact(version: string, folder: string): Promise<string> {
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund']
  const packages = ['react', 'react-dom'].map((name) => `${name}@${version}`)
  await promisify(execFile)('npm', ['install', '--prefix', folder, ...flags, ...packages])
  return join(folder, 'node_modules')
}
