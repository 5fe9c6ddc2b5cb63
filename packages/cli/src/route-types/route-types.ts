import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { RouteInfo } from '@sdk/server'
import type { Project } from '../discover.ts'
import type { RoutePointer } from './route-pointers.ts'

/** Returns the path of the pointer file. */
export function routeTypesFile(root: string): string {
  return join(root, 'src/sdk-routes.d.ts')
}

/** Input of the pointer file. */
export interface RouteTypesSource {
  readonly project: Project
  readonly routes: readonly RouteInfo[]
  /** The locations of the types of the API's routes; the default is the default export. */
  readonly pointers: ReadonlyMap<string, RoutePointer>
}

/**
 * Returns the pointer file: one line per route with its name and the location of its types, never the types themselves.
 * An editor then resolves only the routes in use.
 */
export function toRouteTypes({ project, routes, pointers }: RouteTypesSource): string {
  const typeOf = ({ file, name }: Pick<RoutePointer, 'file' | 'name'>): string => {
    const path = relative(join(project.root, 'src'), file).replaceAll(sep, '/')
    return `typeof import(${toStringLiteral(path.startsWith('../') ? path : `./${path}`)}).${name}`
  }
  const agents = project.agents.map(({ name, file }) =>
    toRegistryEntry(`POST /agent/${name}`, typeOf({ file, name: 'default' })),
  )
  const whole = { file: project.api ?? '', name: 'default', kind: 'router' } as const
  const ofApi = routes.filter((info) => info.kind !== 'agent')
  const line = ({ route }: RouteInfo): string => {
    const pointer = pointers.get(route) ?? { ...whole, route }
    return toRegistryEntry(route, toType(pointer, typeOf(pointer)))
  }
  const paths = ofApi.filter((info) => info.kind !== 'socket').map(line)
  const sockets = ofApi.filter((info) => info.kind === 'socket').map(line)
  return `/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
${toModuleHead([...paths, ...sockets].join('\n'))}
declare module '@sdk/protocol' {
${toRegistryInterface('Routes', [...agents, ...paths])}
${toRegistryInterface('Sockets', sockets)}
}
`
}

/** Writes the pointer file if its content has changed; returns whether it did. */
export function writeRouteTypes(source: RouteTypesSource): boolean {
  const file = routeTypesFile(source.project.root)
  const text = toRouteTypes(source)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false
  writeFileSync(file, text)
  return true
}

function toType({ kind, route }: RoutePointer, exported: string): string {
  if (kind === 'socket') return exported
  const [, version = ''] = /^\S+ \/api\/(v\d+)\//.exec(route) ?? []
  const all = kind === 'resource' ? `ResourceRoutes<${toStringLiteral(version)}, ${exported}>` : `RoutesOf<${exported}>`
  return `${all}[${toStringLiteral(route)}]`
}

/** Returns an import or export, which makes the file a module that extends `@sdk/protocol` instead of replacing it. */
function toModuleHead(lines: string): string {
  const names = ['ResourceRoutes', 'RoutesOf'].filter((name) => lines.includes(`: ${name}<`))
  return names.length === 0 ? 'export {}\n' : `import type { ${names.join(', ')} } from '@sdk/server'\n`
}

/** Returns an interface of the registry, sorted. */
export function toRegistryInterface(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? `  interface ${name} {}` : `  interface ${name} {\n${lines.toSorted().join('\n')}\n  }`
}

/** Returns a line of the registry. */
export function toRegistryEntry(name: string, pointer: string): string {
  return `    ${toStringLiteral(name)}: ${pointer}`
}

function toStringLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}
