export { createWorker, type Worker, type WorkerOptions } from './workers/create-worker.ts'
export { createSocketObject, type SocketObject, type SocketObjectClass } from './workers/socket-object.ts'
