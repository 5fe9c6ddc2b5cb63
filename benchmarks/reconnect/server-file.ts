import { join } from 'node:path'

/** The module of a server. */
export function serverFile(name: string): string {
  return join(import.meta.dirname, `servers/${name}.mjs`)
}
