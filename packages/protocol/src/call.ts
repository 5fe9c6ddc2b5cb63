import type { ParamName, PathParams } from './route.ts'
import type { RouteOf } from './registry.ts'

/** A query parameter: lists are joined by commas, dates are ISO 8601, undefined and null are left out. */
export type QueryValue = QueryScalar | readonly QueryScalar[]

type QueryScalar = string | number | boolean | bigint | Date | null | undefined

/** The `params` of a route, required if its path has parameters. */
export type ParamsOption<R extends string> = string extends R
  ? { params?: PathParams<string> | undefined }
  : [ParamName<R>] extends [never]
    ? { params?: undefined }
    : { params: PathParams<R> }

/** The `query` of a route, required if it has required members. */
export type QueryOption<R extends string> = unknown extends RouteOf<R>['query']
  ? { query?: Readonly<Record<string, QueryValue>> | undefined }
  : {} extends RouteOf<R>['query']
    ? { query?: RouteOf<R>['query'] | undefined }
    : { query: RouteOf<R>['query'] }

/** The result of a call to the route: its payload, or the list of its chunks if it streams. */
export type CallOutput<R extends string> = RouteOf<R>['stream'] extends true
  ? RouteOf<R>['output'][]
  : RouteOf<R>['output']

/** The type of a value after it went through JSON, at every depth: a `Date` becomes `string`. */
export type Serialized<Value> = unknown extends Value
  ? Value
  : Value extends JsonUnchanged
    ? Value
    : Value extends bigint
      ? string
      : Value extends { toJSON(): infer Json }
        ? Json
        : { [Key in keyof Value]: Serialized<Value[Key]> }

/** The types that JSON does not change. Bytes and functions are included, as JSON has no type for them. */
type JsonUnchanged = string | number | boolean | null | undefined | ArrayBufferView | ((...input: never) => unknown)

/** The routes without a payload. A call accepts only options; other calls accept the payload first. */
export type Bodiless = `${'GET' | 'HEAD' | 'DELETE' | 'OPTIONS'} ${string}`

/** The options for a call as arguments: optional if none of them is required. */
export type OptionsArgument<Options> = Partial<Options> extends Options ? [options?: Options] : [options: Options]

/** The payload and options for a call as arguments: each is optional if none of its members is required. */
export type InputArguments<Input, Options> =
  Partial<Options> extends Options
    ? undefined extends Input
      ? [input?: Input, options?: Options]
      : [input: Input, options?: Options]
    : [input: Input, options: Options]
