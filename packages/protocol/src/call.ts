import type { Page } from './page.ts'
import type { ParamName, PathParams } from './route.ts'
import type { RouteName, RouteOf } from './registry.ts'

/** A query parameter. Lists are joined with commas, dates are sent as ISO 8601, and undefined and null are omitted. */
export type QueryValue = QueryScalar | readonly QueryScalar[]

type QueryScalar = string | number | boolean | bigint | Date | null | undefined

/** The `params` option for a route, which is required if the path has parameters. */
export type ParamsOption<R extends string> = string extends R
  ? { params?: PathParams<string> | undefined }
  : [ParamName<R>] extends [never]
    ? { params?: undefined }
    : { params: PathParams<R> }

/**
 * The `query` option for a route, which is required if the query has required members. `I` is the union of the names in
 * `expand`, for routes whose items have relations.
 */
export type QueryOption<R extends string, I = ExpandName<R>> = DeclaredQuery<R> & ExpandOption<R, I>

type DeclaredQuery<R extends string> = unknown extends RouteOf<R>['query']
  ? { query?: Readonly<Record<string, QueryValue>> | undefined }
  : {} extends RouteOf<R>['query']
    ? { query?: RouteOf<R>['query'] | undefined }
    : { query: RouteOf<R>['query'] }

/** The `expand` parameter. This is not a conditional type, since the compiler could not infer `I` through one. */
interface ExpandOption<R extends string, I> {
  query?: { expand?: readonly I[] | DeclaredExpand<R> | undefined } | undefined
}

/** Options for a call that expands values. */
export interface ExpandRequired<I> {
  query: { expand: readonly I[] }
}

/** The type of the `expand` parameter in the route's own query schema, if it declares one. */
type DeclaredExpand<R extends string> = unknown extends RouteOf<R>['query']
  ? QueryValue
  : RouteOf<R>['query'] extends { expand?: infer Declared }
    ? Declared
    : never

/** The names that the `expand` parameter of a route accepts: relations and computed values of its items. */
export type ExpandName<R extends string> = [RouteOf<R>] extends [{ related: infer Related }]
  ? keyof Related & string
  : never

/** An item with the values that a request expands. */
export type With<IO extends { item: unknown; related: unknown }, I> = [I] extends [never]
  ? IO['item']
  : IO['item'] & Pick<IO['related'], I & keyof IO['related']>

/**
 * The result of a call to a route: the payload, or a list of chunks if the route streams. `I` is the union of the names
 * in `expand`.
 */
export type CallOutput<R extends string, I = never> = RouteOf<R>['stream'] extends true
  ? RouteOf<R>['output'][]
  : [I] extends [never]
    ? RouteOf<R>['output'] | (boolean extends RouteOf<R>['stream'] ? RouteOf<R>['output'][] : never)
    : Expanded<RouteOf<R>, I>

type Expanded<IO, I> = IO extends { output: infer Output; item: unknown; related: unknown }
  ? [Output] extends [Page<IO['item']>]
    ? Page<With<IO, I>>
    : With<IO, I>
  : unknown

/**
 * The type of a value after it is serialized to JSON and parsed again. At every depth, a `Date` becomes a `string`, and
 * functions are lost.
 */
export type Serialized<Value> = unknown extends Value
  ? Value
  : Value extends JsonUnchanged
    ? Value
    : Value extends bigint
      ? string
      : Value extends { toJSON(): infer Json }
        ? SerializedMembers<Json>
        : Value extends symbol | ((...input: never) => unknown)
          ? undefined
          : SerializedMembers<Value>

/** The type of a route's result or of an array's item after it is serialized. Without a value, it is null. */
export type SerializedResult<Value> = unknown extends Value ? Value : Value extends void ? null : Serialized<Value>

/** The type of a value whose own `toJSON` is not called, because it is the result of one or has none. */
type SerializedMembers<Value> = unknown extends Value
  ? Value
  : Value extends JsonUnchanged
    ? Value
    : Value extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
      ? {}
      : Value extends readonly unknown[]
        ? { [Key in keyof Value]: SerializedResult<Value[Key]> }
        : { [Key in keyof Value]: Serialized<Value[Key]> }

/** The types that `Serialized` leaves unchanged. They include bytes, which are sent as they are. */
type JsonUnchanged = string | number | boolean | null | undefined | ArrayBufferView

/** Routes without a payload. Calls to them accept only options; calls to other routes accept the payload first. */
export type Bodiless = `${'GET' | 'HEAD' | 'DELETE' | 'OPTIONS'} ${string}`

/** The options for a call, as an argument list. The argument is optional if no option is required. */
export type OptionsArgument<Options> = Partial<Options> extends Options ? [options?: Options] : [options: Options]

/**
 * The payload and options for a call, as an argument list. If no option is required, the options argument is optional.
 * In that case, the payload is also optional if it can be undefined.
 */
export type InputArguments<Input, Options> =
  Partial<Options> extends Options
    ? undefined extends Input
      ? [input?: Input, options?: Options]
      : [input: Input, options?: Options]
    : [input: Input, options: Options]

/**
 * The arguments after the route in a call: a payload and options for POST, PUT and PATCH, only options for all other
 * methods.
 */
export type RouteArguments<R extends string, Options> =
  IsEvery<R> extends true
    ? unknown[]
    : [R] extends [Bodiless]
      ? OptionsArgument<Options>
      : [...InputArguments<RouteOf<R>['input'], Options>]

/**
 * Whether `R` is the union of all routes, as it is before inference. Computing the types of all routes would be slow.
 */
export type IsEvery<R extends string> = [RouteName] extends [R] ? IsUnion<R> : false

// Does not use tuples, because the compiler would create one for each route.
type IsUnion<R, Each = R> = R extends unknown ? (Each & string extends R ? false : true) : never
