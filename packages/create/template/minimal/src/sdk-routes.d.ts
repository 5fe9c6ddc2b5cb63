/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
export {}

declare module '@sdk/protocol' {
  interface Routes {
    'POST /agent/greet': typeof import('./agent/greet/index.ts').default
  }
  interface Sockets {}
}
