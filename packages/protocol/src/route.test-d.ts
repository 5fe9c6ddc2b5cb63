import { describe, expectTypeOf, it } from 'vitest'
import { fillPath, parseRoute, type Method, type ParamName, type PathOf, type PathParams, type Route } from './index.ts'

describe('PathOf', () => {
  it('is the part after the method', () => {
    expectTypeOf<PathOf<'GET /api/v1/tasks/:id'>>().toEqualTypeOf<'/api/v1/tasks/:id'>()
    expectTypeOf<PathOf<'GET|POST /api/auth/*'>>().toEqualTypeOf<'/api/auth/*'>()
  })

  it('keeps a path without a method, as of a socket', () => {
    expectTypeOf<PathOf<'/ws/chat'>>().toEqualTypeOf<'/ws/chat'>()
    expectTypeOf<PathOf<string>>().toEqualTypeOf<string>()
  })
})

describe('ParamName', () => {
  it('names every parameter', () => {
    expectTypeOf<ParamName<'GET /api/:team/tasks/:id'>>().toEqualTypeOf<'team' | 'id'>()
    expectTypeOf<ParamName<'/:first'>>().toEqualTypeOf<'first'>()
    expectTypeOf<ParamName<'GET /files/:owner/*'>>().toEqualTypeOf<'owner' | '*'>()
  })

  it('is never without parameters', () => {
    expectTypeOf<ParamName<'GET /api/status'>>().toEqualTypeOf<never>()
    expectTypeOf<ParamName<'GET /'>>().toEqualTypeOf<never>()
    expectTypeOf<ParamName<'GET /a:b/c*'>>().toEqualTypeOf<never>()
  })
})

describe('PathParams', () => {
  it('requires a value for every parameter', () => {
    expectTypeOf<PathParams<'GET /api/:team/tasks/:id'>>().toEqualTypeOf<{
      team: string | number
      id: string | number
    }>()
    expectTypeOf<PathParams<'GET /files/*'>>().toEqualTypeOf<{ '*': string | number }>()
  })

  it('is empty without parameters', () => {
    // oxlint-disable-next-line typescript/no-generated-empty-object-type -- the test expects an empty object
    expectTypeOf<keyof PathParams<'GET /api/status'>>().toEqualTypeOf<never>()
  })

  it('accepts any params if the route is not known', () => {
    expectTypeOf<PathParams<string>>().toEqualTypeOf<Record<string, string | number>>()
  })

  it('rejects a wrong name and a wrong type', () => {
    // @ts-expect-error -- the parameter is called id
    const named: PathParams<'GET /a/:id'> = { ID: 1 }
    // @ts-expect-error -- neither a string nor a number
    const typed: PathParams<'GET /a/:id'> = { id: true }
    expectTypeOf([named, typed]).toBeArray()
  })
})

describe('route functions', () => {
  it('are typed', () => {
    expectTypeOf(parseRoute).returns.toEqualTypeOf<Route>()
    expectTypeOf<Route['methods']>().toEqualTypeOf<readonly Method[]>()
    expectTypeOf<Method>().toEqualTypeOf<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'>()
    expectTypeOf(fillPath).parameter(1).toEqualTypeOf<Readonly<Record<string, string | number>> | undefined>()
  })
})
