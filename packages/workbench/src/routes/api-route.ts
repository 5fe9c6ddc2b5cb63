import type { Context, Router } from '@sdk/server'
import type { WorkbenchApi } from '../api.ts'
import type { FieldsSchema } from './fields.ts'

/** The name of an API route. */
export type ApiName = keyof WorkbenchApi

type InputOf<Name extends ApiName> = WorkbenchApi[Name] extends { input: infer Input } ? Input : unknown

/** A route's query, with string values. */
export type QueryOf<Name extends ApiName> = WorkbenchApi[Name] extends { query: infer Query }
  ? { readonly [Key in keyof Query]?: string }
  : unknown

type OutputOf<Name extends ApiName> = WorkbenchApi[Name]['output']

/** The definition of a route. The compiler checks it against `WorkbenchApi`, which the pages also use. */
export interface ApiRoute<Name extends ApiName> {
  readonly input?: FieldsSchema<InputOf<Name>>
  readonly query?: FieldsSchema<QueryOf<Name>>
  handler(ctx: Context<{ id: string }, QueryOf<Name>>, input: InputOf<Name>): OutputOf<Name> | Promise<OutputOf<Name>>
}

/** Adds an API route to a router. */
export function addRoute<Name extends ApiName>(router: Router, name: Name, route: ApiRoute<Name>): void {
  router.on(name, route as Parameters<Router['on']>[1])
}
