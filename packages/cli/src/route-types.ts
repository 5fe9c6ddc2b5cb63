import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { RouteInfo } from '@sdk/server'
import type { Project } from './discover.ts'

/** Where the pointer file is. */
export function routeTypesFile(root: string): string {
  return join(root, 'src/sdk-routes.d.ts')
}

/**
 * The pointer file: one line a route, each a name and where its types are, never the types themselves.
 * An editor then resolves only the route that is looked at.
 */
export function toRouteTypes(project: Project, routes: readonly RouteInfo[]): string {
  const source = (file: string): string => `./${relative(join(project.root, 'src'), file).replaceAll(sep, '/')}`
  const ofApi = routes.filter((info) => info.kind !== 'agent')
  const api = (name: string): string => entry(name, `Api[${quote(name)}]`)
  const agents = project.agents.map(({ name, file }) =>
    entry(`POST /agent/${name}`, `typeof import(${quote(source(file))}).default`),
  )
  const paths = ofApi.filter((info) => info.kind !== 'socket').map((info) => api(info.route))
  const sockets = ofApi.filter((info) => info.kind === 'socket').map((info) => api(info.route))
  const head =
    project.api === null || ofApi.length === 0
      ? 'export {}\n'
      : `import type { RoutesOf } from '@sdk/server'\n\ntype Api = RoutesOf<typeof import(${quote(source(project.api))}).default>\n`
  return `/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
${head}
declare module '@sdk/protocol' {
${members('Routes', [...agents, ...paths])}
${members('Sockets', sockets)}
}
`
}

/** Writes the pointer file where its content has changed; says whether it did. */
export function writeRouteTypes(project: Project, routes: readonly RouteInfo[]): boolean {
  const file = routeTypesFile(project.root)
  const text = toRouteTypes(project, routes)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false
  writeFileSync(file, text)
  return true
}

function members(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? `  interface ${name} {}` : `  interface ${name} {\n${lines.toSorted().join('\n')}\n  }`
}

function entry(name: string, pointer: string): string {
  return `    ${quote(name)}: ${pointer}`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}
