import 'reflect-metadata';
import {
  All,
  type CanActivate,
  Controller,
  type DynamicModule,
  HttpException,
  Inject,
  Module,
  type ModuleMetadata,
  Req,
  Res,
  type Type,
  UseGuards,
} from '@nestjs/common';
import {
  type QueueBoardError,
  type QueueBoardHandler,
  type QueueBoardHandlerOptions,
  createQueueBoardHandler,
} from '@switchboard/board';
import { EventLog, Jobs, Outbox } from '@switchboard/queue';
import { type ModuleAsyncOptions, optionsProvider } from '../module-async-options.js';

/** URL path of a board, and the guard that decides about each of its requests. */
export interface QueueBoardMount {
  /** URL path of the board, such as `admin/board`, below the global prefix of the application. */
  readonly path: string;
  /** Guard of Nest, which runs after the global guards of the application. Nest injects the providers of `imports`. */
  readonly guard: CanActivate | Type<CanActivate>;
}

/**
 * Options of {@link QueueBoardModule}. The board shows outbox, jobs and event log of `QueueModule` unless the options contain
 * others.
 */
export type QueueBoardModuleOptions = Omit<QueueBoardHandlerOptions, 'guard'>;

type QueueBoardHttpRequest = Parameters<QueueBoardHandler>[0];
type QueueBoardHttpReply = Parameters<QueueBoardHandler>[1];

const BOARD_OPTIONS = Symbol('board options');
const BOARD_HANDLER = Symbol('board handler');

/** Module with a board of queues, workers, dead letters and event logs, behind a guard of the service. */
@Module({})
export class QueueBoardModule {
  /**
   * Returns the module of a board with the given options.
   *
   * @throws Error if the options contain no guard
   */
  static forRoot({
    path,
    guard,
    imports = [],
    ...options
  }: QueueBoardMount & QueueBoardModuleOptions & Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return QueueBoardModule.forRootAsync({ path, guard, imports, useFactory: () => options });
  }

  /** Returns the module of a board with options that a factory returns. The factory may use other providers. */
  static forRootAsync({
    path,
    guard,
    ...options
  }: QueueBoardMount & ModuleAsyncOptions<QueueBoardModuleOptions>): DynamicModule {
    return {
      module: QueueBoardModule,
      imports: options.imports ?? [],
      controllers: [createQueueBoardController(path, guard)],
      providers: [
        optionsProvider(BOARD_OPTIONS, options),
        {
          provide: BOARD_HANDLER,
          inject: [BOARD_OPTIONS, ...[Jobs, Outbox, EventLog].map((token) => ({ token, optional: true }))],
          useFactory: (given: QueueBoardModuleOptions, jobs?: Jobs, outbox?: Outbox, eventLog?: EventLog) =>
            createQueueBoardHandler({
              jobs,
              outbox,
              eventLog,
              ...given,
              createError: given.createError ?? createHttpException,
              // Nest calls the guard of the controller before the handler.
              guard: () => true,
            }),
        },
      ],
    };
  }
}

/** Returns the error of Nest for an error of the board. */
function createHttpException(cause: QueueBoardError): HttpException {
  const { statusCode, code, message } = cause;
  return new HttpException({ statusCode, code, message }, statusCode, { cause });
}

/** Creates the controller of a board. Nest throws an error for a missing guard. */
function createQueueBoardController(path: string, guard: QueueBoardMount['guard']): Type {
  @UseGuards(guard)
  @Controller(path)
  class QueueBoardHttpController {
    constructor(@Inject(BOARD_HANDLER) private readonly handle: QueueBoardHandler) {}

    /** Responds with the page of the board, with a file of the page, or with data from the API of the page. */
    @All(['', '*'])
    async serveBoard(@Req() request: QueueBoardHttpRequest, @Res() reply: QueueBoardHttpReply): Promise<void> {
      await this.handle(request, reply);
    }
  }
  return QueueBoardHttpController;
}
