import type { ParamName, PathParams } from './route.ts'
import type { RouteOf } from './registry.ts'

/** A query parameter. Lists are joined with commas, dates are sent as ISO 8601, and undefined and null are omitted. */
export type QueryValue = QueryScalar | readonly QueryScalar[]

type QueryScalar = string | number | boolean | bigint | Date | null | undefined

/** The `params` option for a route, which is required if the path has parameters. */
export type ParamsOption<R extends string> = string extends R
  ? { params?: PathParams<string> | undefined }
  : [ParamName<R>] extends [never]
    ? { params?: undefined }
    : { params: PathParams<R> }

/** The `query` option for a route, which is required if the query has required members. */
export type QueryOption<R extends string> = unknown extends RouteOf<R>['query']
  ? { query?: Readonly<Record<string, QueryValue>> | undefined }
  : {} extends RouteOf<R>['query']
    ? { query?: RouteOf<R>['query'] | undefined }
    : { query: RouteOf<R>['query'] }

/** The result of a call to a route: the payload, or a list of chunks if the route streams. */
export type CallOutput<R extends string> = RouteOf<R>['stream'] extends true
  ? RouteOf<R>['output'][]
  : RouteOf<R>['output']

/** The type of a value after it is serialized to JSON and parsed again. At every depth, a `Date` becomes a `string`. */
export type Serialized<Value> = unknown extends Value
  ? Value
  : Value extends JsonUnchanged
    ? Value
    : Value extends bigint
      ? string
      : Value extends { toJSON(): infer Json }
        ? Json
        : { [Key in keyof Value]: Serialized<Value[Key]> }

/** The types that JSON does not change. Bytes and functions are included, since JSON has no type for them. */
type JsonUnchanged = string | number | boolean | null | undefined | ArrayBufferView | ((...input: never) => unknown)

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
