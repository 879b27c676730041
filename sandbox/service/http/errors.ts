/** Errors of the service: a status and a message. */

/** Thrown by handlers; becomes the error envelope. */
export class ServiceError extends Error {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500;

  constructor(status: ServiceError['status'], message: string) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
  }
}

export const badRequest = (message: string) => new ServiceError(400, message);
export const forbidden = (message: string) => new ServiceError(403, message);
export const notFound = (message: string) => new ServiceError(404, message);
